"""Compiling everything at once: the work that is done for it calls nearly all kernels, and progress is told."""

from crossbow.warm import compiled, kernels, warm

# What few people use is compiled when it is needed: models from ARPA files, drawings of parse trees.
RARE = {"closure._absent", "closure._back_off", "closure._index", "distance._edit_script", "eisner.best_tree",
        "eisner.posteriors", "estimate._occurrences", "state.score_sequence"}


def test_all_kernels_are_compiled() -> None:
    told = []
    count = warm(lambda what, done, total: told.append((what, done, total)))
    assert kernels() - RARE - compiled() == set()
    assert count == len(compiled())
    assert {what for what, _, _ in told} == {"kernels"}
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert told[-1][2] == len(kernels())
    assert kernels() >= RARE
