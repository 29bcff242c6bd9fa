#!/usr/bin/env python3
"""Which opcodes and attributes that Assay declares no program of these files has.

    reached.py FILE.jsonl...
"""
import json
import re
import sys
from collections import Counter
from pathlib import Path

IMPORT = Path(__file__).parents[3] / "shared_ir" / "import" / "hlo"
INSTRUCTION = re.compile(r"(%[\w.-]+) = (\(?\w+)\S*(?: [^=]*?)?[\])}] ([a-z0-9-]+)\((.*)")


def declared():
    opcodes = re.findall(r'\{"([a-z0-9-]+)", k(\w+), ', (IMPORT / "hlo_opcode.cpp").read_text())
    attributes = re.findall(r'\{"([a-z_-]+)", Form::k', (IMPORT / "hlo_attribute.cpp").read_text())
    return [name for name, kind in opcodes if kind != "Effect"], attributes


def instructions(text):
    """Opcode, type, attributes with their values, and name of every instruction of a text."""
    for name, kind, opcode, rest in INSTRUCTION.findall(text):
        yield opcode, kind, re.findall(r", ([a-z_-]+)=((?:\{[^{}]*\}|[^,{}])*)", rest), name


def main():
    seen, of_opcode = Counter(), Counter()
    for name in sys.argv[1:]:
        for text in open(name, encoding="utf-8"):
            for opcode, _, attributes, _ in instructions(json.loads(text)["hlo"]):
                seen[opcode] += 1
                of_opcode.update((opcode, key) for key, _ in attributes)
    opcodes, attributes = declared()
    print("opcodes never drawn:", *[name for name in opcodes if not seen[name]])
    drawn_attributes = {key for _, key in of_opcode}
    print("attributes never drawn:", *[key for key in attributes if key not in drawn_attributes])
    for opcode in sorted(seen):
        keys = [f"{key} {count}" for (of, key), count in sorted(of_opcode.items()) if of == opcode]
        print(f"{seen[opcode]:8} {opcode}", f"({', '.join(keys)})" if keys else "")


if __name__ == "__main__":
    main()
