"""Tables of Markdown."""

from statistics import median


def show(head, rows, unit=""):
    if unit:
        print(f"In {unit}:\n")
    print("| " + " | ".join(head) + " |")
    print("| --- |" + " ---: |" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(f"{it:,}" if isinstance(it, int) else str(it).replace("|", "\\|") for it in row) + " |")
    print()


def milliseconds(times):
    """Their minimum and median, as cells."""
    return [f"{min(times):.2f}", f"{median(times):.2f}"] if times else ["", ""]
