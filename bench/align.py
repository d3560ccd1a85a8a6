"""Word alignment side by side with systran-align, which runs fast_align's algorithm: time on one core, and agreement.

    python bench/align.py pairs.tsv                 # source TAB target, a line each
    python bench/align.py text.de text.en           # or two files

Words are lowercased and split at white space. Prints a Markdown table. What to know about the comparison:
- Agreement is F1 of links. The peer shows its two directions only joined, and its Aligner always uses tension 4, not
  the one it learned. So its links per direction are rebuilt here from the tables it saves and the tension it logs.
  That this is right shows in the check: the links of its Aligner lie between the intersection and the union of those
  rebuilt with tension 4. With the tension held at 4 on both sides nothing has to be rebuilt; what then differs is
  the order in which links are grown.
- Learned tensions differ, for the peer's gradient is not ours: it takes Z with the two lengths swapped, counts the
  places of made words from 0 in the observed distance, and divides that by all words, also those without an origin.
- The peer's time includes writing its tables.
"""

from __future__ import annotations

import itertools
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from crossbow.align.cells import index_cells
from crossbow.align.config import AlignConfig
from crossbow.align.model2 import train
from crossbow.align.symmetrize import Links, symmetrize
from crossbow.vocab import Corpus, Vocab

JOIN = "grow-diag-final-and"
NULL = 0.08
ENTRY = np.dtype([("word", "<i4"), ("probability", "<f4")])


def run_peer(folder: Path, learn_tension: bool) -> tuple[list, dict]:
    """Train and align in a process of its own: link lists; CPU seconds to "train" and "align", final "tensions"."""
    command = [sys.executable, __file__, "--peer", str(folder), str(int(learn_tension))]
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=one_thread, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    train_time, align_time = map(float, lines[0].split())
    links = [[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines[1:]]
    tensions = [float(value) for value in re.findall(r"final tension: (\S+)", done.stderr)]
    half = max(1, len(tensions) // 2)  # the log of one direction follows that of the other
    final = tensions[half - 1 :: half]
    return links, {"train": train_time, "align": align_time, "tensions": final}


def peer_process(folder: Path, learn_tension: bool) -> None:
    import systran_align

    tables = str(folder / "forward"), str(folder / "backward")
    start = time.process_time()
    systran_align.generate_alignment_probabilities(
        str(folder / "text"), *tables, verbose=True, favor_diagonal=True, optimize_tension=learn_tension,
        variational_bayes=True, beam_threshold=-1e9,
    )
    trained = time.process_time()
    pairs = [line.split(" ||| ") for line in (folder / "text").read_text(encoding="utf8").splitlines()]
    sides = [[side.split() for side in text] for text in zip(*pairs)]
    begin = time.process_time()
    results = systran_align.Aligner(*tables).align_batch(*sides)
    print(trained - start, time.process_time() - begin)
    for result in results:
        print(" ".join(f"{i}-{j}" for i, j in result["alignments"]))


def read_peer_table(path: Path) -> tuple[dict[str, int], dict[int, dict[int, float]]]:
    """Word ids and t(f|e) as {e: {f: t}}; word 1 stands for no origin."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 4)[0]
    ids, at = {}, 8
    for number in range(1, size + 1):
        end = data.index(b"\0", at)
        ids[data[at:end].decode()] = number
        at = end + 1
    at += 4
    table = {}
    while at < len(data):
        word, entries = struct.unpack_from("<II", data, at)
        row = np.frombuffer(data, ENTRY, entries, at + 8)
        table[word] = dict(zip(row["word"].tolist(), row["probability"].tolist()))
        at += 8 + entries * ENTRY.itemsize
    return ids, table


def rebuild(path: Path, pairs: list, tensions: list[float]) -> list:
    """The peer's choice for every word made of (given, made) sentences, once per tension."""
    ids, table = read_peer_table(path)
    choices: list[list] = [[] for _ in tensions]
    for given, made in pairs:
        n, m, numbers = len(given), len(made), [ids[f] for f in made]
        t = np.array([[table[ids[e]][f] for f in numbers] for e in given])
        none = NULL * np.array([table[1][f] for f in numbers])
        distance = np.abs(np.arange(1, n + 1)[:, None] / n - np.arange(1, m + 1) / m)
        for chosen, tension in zip(choices, tensions):
            prior = np.exp(-tension * distance)
            chosen.append(np.vstack([none, t * prior * (1 - NULL) / prior.sum(0)]).argmax(0) - 1)
    return [np.concatenate(chosen).astype(np.int16) for chosen in choices]


def agreement(one: list, other: list) -> float:
    common = sum(len(set(a) & set(b)) for a, b in zip(one, other, strict=True))
    return 2 * common / (sum(map(len, one)) + sum(map(len, other)))


def agreement_of_choices(one: np.ndarray, other: np.ndarray) -> float:
    return 2 * ((one == other) & (one >= 0)).sum() / ((one >= 0).sum() + (other >= 0).sum())


def as_lists(links: Links) -> list:
    pairs = list(zip(links.source.tolist(), links.target.tolist()))
    return [pairs[a:b] for a, b in itertools.pairwise(links.starts.tolist())]


def run_ours(source: Corpus, target: Corpus, config: AlignConfig) -> dict:
    """Choices per direction, joined links, tensions, and CPU seconds of it all in this one thread."""
    start = time.process_time()
    index = index_cells(source, target, config.longest)
    runs = [train(source, target, index, forward, config) for forward in (True, False)]
    trained = time.process_time()
    choices = [links for links, _ in runs]
    links = symmetrize(source, target, *choices, JOIN, config.longest)
    times = {"train": trained - start, "align": time.process_time() - trained}
    tensions = [record.tension[-1] for _, record in runs]
    return times | {"choices": choices, "links": as_lists(links), "tensions": tensions}


def read_pairs(paths: list[str]) -> list:
    """Tokenized (source, target) sentences, without those that have an empty side."""
    files = [Path(path).read_text(encoding="utf8").lower().splitlines() for path in paths]
    rows = [line.split("\t")[:2] for line in files[0]] if len(files) == 1 else zip(*files, strict=True)
    # "|||" separates the sides in the peer's input
    pairs = [tuple(side.replace("|||", "|").split() for side in row) for row in rows]
    return [pair for pair in pairs if all(pair)]


def main(paths: list[str]) -> None:
    pairs = read_pairs(paths)
    source, target = (Corpus.encode(side, Vocab()) for side in zip(*pairs))
    longest = max(len(side) for pair in pairs for side in pair)
    small = Corpus.encode([["a"]], Vocab())
    run_ours(small, small, AlignConfig())  # compile
    ours = run_ours(source, target, AlignConfig(longest=longest))
    fixed = run_ours(source, target, AlignConfig(longest=longest, tension_steps=0))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = "".join(f"{' '.join(source)} ||| {' '.join(target)}\n" for source, target in pairs)
        (folder / "text").write_text(text, encoding="utf8")
        fixed_links, _ = run_peer(folder, learn_tension=False)
        peer_links, peer = run_peer(folder, learn_tension=True)
        forward = rebuild(folder / "forward", pairs, [peer["tensions"][0], 4.0])
        backward = rebuild(folder / "backward", [pair[::-1] for pair in pairs], [peer["tensions"][1], 4.0])
    rebuilt = as_lists(symmetrize(source, target, forward[0], backward[0], JOIN, longest))
    least, most = (as_lists(symmetrize(source, target, forward[1], backward[1], heuristic, longest))
                   for heuristic in ("intersection", "union"))
    between = np.mean([set(a) <= set(b) <= set(c) for a, b, c in zip(least, peer_links, most, strict=True)])
    words = len(source.words) + len(target.words)
    print(f"{len(pairs):,} pairs, {len(source.words):,} + {len(target.words):,} words, one core\n")
    print("| | crossbow | systran-align | ratio |\n|---|---|---|---|")
    for step, label in (("train", "train both directions, CPU s"), ("align", "align or join, CPU s")):
        print(f"| {label} | {ours[step]:.2f} | {peer[step]:.2f} | {peer[step] / ours[step]:.1f} |")
    speeds = [words / run["train"] for run in (ours, peer)]
    print(f"| words (both sides) per second of training | {speeds[0]:,.0f} | {speeds[1]:,.0f} | |")
    tensions = [" / ".join(f"{tension:.2f}" for tension in run["tensions"]) for run in (ours, peer)]
    print(f"| tension, forward / backward | {tensions[0]} | {tensions[1]} | |\n")
    print("| agreement with systran-align, F1 of links | |\n|---|---|")
    print(f"| forward | {agreement_of_choices(ours['choices'][0], forward[0]):.2%} |")
    print(f"| backward | {agreement_of_choices(ours['choices'][1], backward[0]):.2%} |")
    print(f"| {JOIN} | {agreement(ours['links'], rebuilt):.2%} |")
    print(f"| {JOIN}, tension held at 4, the Aligner's own links | {agreement(fixed['links'], fixed_links):.2%} |")
    print(f"| check: sentences whose links lie between those rebuilt with tension 4 | {between:.2%} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer_process(Path(sys.argv[2]), sys.argv[3] == "1")
    elif 2 <= len(sys.argv) <= 3:
        main(sys.argv[1:])
    else:
        sys.exit(__doc__)
