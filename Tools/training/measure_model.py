"""Reads held-out lines with models and prints the accuracy by preset and model.

    measure_model.py FOLDER MODEL.traineddata [MODEL.traineddata ...]

FOLDER contains one folder per preset, as written by `make_lines.py held-out`. The figures:

- character errors: edit distance over the line's text, as a share of its characters, spaces not counted;
- exact: the share of lines with a serial in which the output contains it as a separate word, after the reader's folding
  (O to 0, I and l to 1, lower case to upper);
- wrong length: the share of lines that end with their serial where the output's last word has another number of characters.
"""

import os
import subprocess
import sys
import tempfile

NO_DICTIONARIES = [
    part
    for name in ("system", "freq", "punc", "number", "unambig", "bigram")
    for part in ("-c", "load_%s_dawg=0" % name)
]
FOLDING = str.maketrans("OoIl|", "00111")


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def folded(text):
    return text.translate(FOLDING).upper()


def read(model, pictures):
    """Returns the model's text for each picture: runs the tesseract command once over a list of files and splits its
    words by page."""
    folder, name = os.path.split(os.path.abspath(model))
    pages = [[] for _ in pictures]
    with tempfile.TemporaryDirectory() as scratch:
        listing, out = os.path.join(scratch, "pictures.txt"), os.path.join(scratch, "out")
        with open(listing, "w") as file:
            file.write("\n".join(pictures) + "\n")
        command = [
            "tesseract",
            listing,
            out,
            "--tessdata-dir",
            folder,
            "-l",
            name.removesuffix(".traineddata"),
            "--psm",
            "13",
            "--oem",
            "1",
            "--dpi",
            "300",
            "-c",
            "tessedit_create_tsv=1",
            *NO_DICTIONARIES,
        ]
        subprocess.run(command, capture_output=True, env={**os.environ, "OMP_THREAD_LIMIT": "1"}, check=True)
        with open(out + ".tsv") as table:
            for row in list(table)[1:]:
                level, page, *_, word = row.rstrip("\n").split("\t")
                if level == "5":
                    pages[int(page) - 1].append(word)
    return [" ".join(words) for words in pages]


def held_out(folder):
    """Returns [(path of the picture, text, serial)] of a folder."""
    with open(os.path.join(folder, "lines.tsv")) as table:
        rows = [row.rstrip("\n").split("\t") for row in table]
    return [(os.path.join(folder, name), text, serial) for name, text, serial in rows]


def measure(folder, model):
    lines = held_out(folder)
    outputs = read(model, [picture for picture, _, _ in lines])
    wrong = total = exact = serials = lengths = endings = 0
    by_length = {}
    for output, (_, text, serial) in zip(outputs, lines):
        text, bare = text.replace(" ", ""), output.replace(" ", "")
        wrong, total = wrong + distance(bare, text), total + len(text)
        if serial:
            words = folded(output).split()
            right = serial in words
            serials, exact = serials + 1, exact + right
            seen, hit = by_length.get(len(serial), (0, 0))
            by_length[len(serial)] = seen + 1, hit + right
            if text.endswith(serial):
                endings, lengths = endings + 1, lengths + (not words or len(words[-1]) != len(serial))
    return {
        "lines": len(lines),
        "errors": wrong / total,
        "exact": exact / serials,
        "length": lengths / endings,
        "by_length": {n: hit / seen for n, (seen, hit) in sorted(by_length.items())},
    }


def main():
    root, *models = sys.argv[1:]
    print(
        "| preset | lines | model | character errors | exact | exact 10 / 11 / 12 | wrong length |\n|---|---|---|---|---|---|---|"
    )
    for preset in sorted(os.listdir(root)):
        for model in models:
            m = measure(os.path.join(root, preset), model)
            print(
                "| %s | %d | %s | %.1f %% | %.1f %% | %s %% | %.1f %% |"
                % (
                    preset,
                    m["lines"],
                    os.path.basename(model).removesuffix(".traineddata"),
                    100 * m["errors"],
                    100 * m["exact"],
                    " / ".join("%.0f" % (100 * v) for v in m["by_length"].values()),
                    100 * m["length"],
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
