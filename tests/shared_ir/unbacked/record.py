"""Records programs with sizes that depend on values, and what PyTorch makes of them.

    python3 record.py > values.jsonl

Each line has a name, the graph as fx-JSON, and runs: values of the inputs and of the outputs, as
flat lists. unbacked_values_test.cpp evaluates the graphs as Assay reads them at the same inputs.
"""

import json
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "fixtures" / "value_sizes"))
from capture import graph_of  # noqa: E402

RUNS = 4


def checked(*sizes, total):
    for one in sizes:
        torch._check(one >= 0)
        torch._check(one <= total)
    torch._check(sum(sizes) == total)
    return list(sizes)


def weighted(rows):
    """A number that depends on every element and on its position."""
    at = torch.arange(rows.shape[0], dtype=torch.float32) + 1
    return (rows * at.reshape(-1, *[1] * (rows.dim() - 1))).sum()


def counts(ids, groups):
    return (ids[:, None] == torch.arange(groups)).sum(0)


def nonzero(x, ids):
    at = (ids > 1).nonzero()[:, 0]
    return weighted(x[at]), weighted(at.float()), x[at].sum(0), torch.zeros_like(x).index_add(0, at, x[at])


def nonzero_2d(x, ids):
    at = (x > 0).nonzero()
    return weighted(at.float()), weighted(x[at[:, 0], at[:, 1]])


def nonzero_none(x, ids):
    return (weighted(x[(ids > 9).nonzero()[:, 0]]),)


def masked_select(x, ids):
    chosen = torch.masked_select(x, (ids > 1)[:, None])
    return weighted(chosen), chosen.exp().sum(), torch.masked_select(x, x > 0).sum()


def mask_index(x, ids):
    rows = x[ids > 1]
    return weighted(rows), (rows @ x.t()).sum(0), (rows.t() @ rows), x[x > 0].sum()


def mask_mean(x, ids):
    rows = x[ids >= torch.min(ids)]
    return rows.mean(), rows.mean(0), rows.mean(1).sum(), rows.amax(0), rows.sum(dim=1, keepdim=True).sum()


def gradients(x, ids):
    x = x.detach().requires_grad_()
    rows = x[ids > 1]
    chosen = torch.masked_select(x, (ids > 0)[:, None])
    at = (ids < 2).nonzero()[:, 0]
    loss = (rows * rows).sum() + chosen.exp().sum() + weighted(x[at].sin())
    return torch.autograd.grad(loss, x)


def index_put(x, ids):
    at = (ids > 1).nonzero()[:, 0]
    put = torch.ones_like(x).index_put((at,), x[at] * 2)
    added = torch.ones_like(x).index_put((at,), x[at], accumulate=True)
    mask = ids > 1
    return put, added, x.index_put((mask,), torch.zeros(())), x.masked_scatter(mask[:, None], x[mask].reshape(-1) + 1)


def pieces(x, ids):
    sizes = checked(*counts(ids, 4).tolist(), total=ids.shape[0])
    parts = x.split(sizes)
    return (weighted(torch.cat([parts[2], parts[0], parts[3], parts[1]])), weighted(parts[1]),
            weighted(torch.cat(list(parts))), torch.stack([p.sum(0) for p in parts]))


def slices(x, ids):
    n = (ids > 1).sum().item()
    torch._check(n >= 0)
    torch._check(n <= x.shape[0])
    return (weighted(x[:n]), weighted(x[n:]), weighted(x.narrow(0, 0, n)),
            weighted(torch.arange(n, dtype=torch.float32)), torch.zeros(n, 2).exp().sum())


def repeated(x, ids):
    number = counts(ids, 4)
    at = torch.repeat_interleave(number, output_size=ids.shape[0])
    free = torch.repeat_interleave(number)
    rows = torch.repeat_interleave(x[:4], number, dim=0)
    return weighted(at.float()), weighted(free.float()), weighted(rows)


def sorted_rows(x, ids):
    mask = ids > 0
    own, rows = ids[mask], x[mask]
    values, order = torch.sort(own, stable=True)
    again = rows[order]
    back = torch.zeros_like(again).index_put((order,), again * 2)
    return weighted(values.float()), weighted(order.float()), weighted(again), weighted(back), weighted(torch.cumsum(rows, 0))


def reshaped(x, ids):
    rows = x[ids > 1]
    wide = rows.reshape(-1, 1, 3).expand(-1, 2, 3)
    return weighted(wide.reshape(-1, 3)), weighted(rows.reshape(-1)), wide.transpose(0, 1).sum(1), rows.t().sum(1)


def grouped(x, ids):
    mask = ids > 0
    own, rows = ids[mask], x[mask].detach().requires_grad_()
    order = torch.argsort(own, stable=True)
    weights = torch.arange(36, dtype=torch.float32).reshape(4, 3, 3).sin().detach().requires_grad_()
    ends = torch.cumsum(counts(own, 4), 0).to(torch.int32)
    made = torch._grouped_mm(rows[order], weights, offs=ends)
    first, second = torch.autograd.grad((made * made).sum(), [rows, weights])
    return weighted(made), weighted(first), second


def grouped_known(x, ids):
    """No size depends on values here: _grouped_mm by its declaration."""
    rows = x[torch.argsort(ids, stable=True)].detach().requires_grad_()
    weights = torch.arange(36, dtype=torch.float32).reshape(4, 3, 3).sin().detach().requires_grad_()
    ends = torch.cumsum(counts(ids, 4), 0).to(torch.int32)
    made = torch._grouped_mm(rows, weights, offs=ends)
    return made, *torch.autograd.grad((made * made).sum(), [rows, weights])


def softmax(x, ids):
    rows = torch.softmax(x[ids > 1], 1)
    return weighted(rows), (rows * torch.log_softmax(x[ids > 1], 1)).sum(0)


def slice_gradients(x, ids):
    """Of a slice up to a size, and of a permutation of rows whose number depends on values."""
    own = x.detach().requires_grad_()
    rows = own[ids > 0]
    first, _ = checked((ids == 1).sum().item(), (ids != 1).sum().item(), total=6)
    some = own.narrow(0, 0, first)
    order = torch.argsort(ids[ids > 0], stable=True)
    picked = rows.index_select(0, order)
    loss = weighted(some.exp()) + weighted(picked.sin())
    return loss, *torch.autograd.grad(loss, own)


PROGRAMS = [nonzero, nonzero_2d, nonzero_none, masked_select, mask_index, mask_mean, gradients,
            index_put, pieces, slices, repeated, sorted_rows, reshaped, grouped,
            grouped_known, softmax, slice_gradients]


def main():
    torch.manual_seed(21)
    for program in PROGRAMS:
        runs = []
        for _ in range(RUNS):
            x, ids = torch.randn(6, 3), torch.randint(0, 4, (6,))
            outputs = program(x, ids)
            runs.append({"inputs": [x.reshape(-1).tolist(), ids.tolist()],
                         "outputs": [y.double().reshape(-1).tolist() for y in outputs]})
        graph = graph_of(program, {"x": torch.zeros(6, 3),
                                   "ids": torch.zeros(6, dtype=torch.int64)})
        print(json.dumps({"name": program.__name__, "graph": graph, "runs": runs}))


main()
