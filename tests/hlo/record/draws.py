"""Choices that are kept, so that a program can be drawn again with one of them made otherwise."""
import random


class Draws:
    """Every choice is a number below a bound. `given` says the first ones."""

    def __init__(self, seed, given=()):
        self.source = random.Random(seed)
        self.given = list(given)
        self.made = []

    def below(self, bound):
        at = len(self.made)
        value = self.given[at] % bound if at < len(self.given) else self.source.randrange(bound)
        self.made.append(value)
        return value

    def choice(self, values):
        return values[self.below(len(values))]

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, percent):
        return self.below(100) < percent

    def sample(self, values, count):
        left = list(values)
        return [left.pop(self.below(len(left))) for _ in range(count)]

    def shuffled(self, values):
        return self.sample(values, len(values))

    def subset(self, values, least=0):
        return sorted(self.sample(values, self.between(least, len(values))))
