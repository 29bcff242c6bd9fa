"""What a run leaves: a table for people, the same as JSON, and the logs in one archive."""

import datetime
import json
import tarfile

ARCHIVE_BYTES = 8_000_000  # of logs and cases; the largest cases are left out beyond that


def rows(results):
    """Step, verdict, figure, limit, seconds."""
    return [(result.step.name, result.verdict, result.figure, result.step.limit,
             f"{result.seconds:.0f}") for result in results]


def table(results):
    """The rows as a table of text."""
    head = ("step", "verdict", "figure", "limit", "seconds")
    lines = [head, *rows(results)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    printed = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
               for line in lines]
    printed.insert(1, "-|-".join("-" * width for width in widths))
    return "\n".join(printed)


def pack(out):
    """Logs and cases in one archive, the smallest files first."""
    files = sorted((file for folder in ("logs", "cases") for file in (out / folder).rglob("*")
                    if file.is_file()), key=lambda file: file.stat().st_size)
    taken, left = 0, 0
    with tarfile.open(out / "logs.tar.gz", "w:gz") as archive:
        for file in files:
            taken += file.stat().st_size
            if taken > ARCHIVE_BYTES:
                left += 1
            else:
                archive.add(file, file.relative_to(out))
    return left


def write(out, machine, results, minutes):
    """gpu.txt, gpu.json and logs.tar.gz; prints the table."""
    left = pack(out)
    text = table(results)
    where = ", ".join(f"{key} {value}" for key, value in machine.items() if key != "gpus")
    title = f"{datetime.date.today()}  {', '.join(machine['gpus']) or 'no GPU'}  ({where})"
    (out / "gpu.txt").write_text(f"{title}\n\n{text}\n")
    (out / "gpu.json").write_text(json.dumps({
        "date": str(datetime.date.today()),
        "machine": machine,
        "minutes": minutes,
        "steps": [dict(zip(("step", "verdict", "figure", "limit", "seconds"), row))
                  for row in rows(results)],
        "files_left_out": left,
    }, indent=1) + "\n")
    print(f"{title}\n\n{text}")
