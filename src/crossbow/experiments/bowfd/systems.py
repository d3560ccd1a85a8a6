"""The systems that the paper's tables compare. To add a variant, add a System.

    for system in SYSTEMS: system.start(decided), system.axes, system.source
"""

from __future__ import annotations

from crossbow.decode.translation import Translation
from crossbow.experiments.core.systems import Source, System
from crossbow.learn.axes import K1 as K1_PATH
from crossbow.learn.axes import Axis
from crossbow.ranking.repeats import Repeats

BASELINE, FORCED, LEARNED, WITHOUT_LM, EXPERIMENT = "baseline", "forced", "learned", "without LM", "experiment"

V = Axis("weights.v", (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0), limits=(0.0,))
K1 = Axis(K1_PATH, (0.2, 0.4, 0.6, 0.9, 1.2, 1.6, 2.0, 3.0))
B = Axis("bm25.b", (0.2, 0.4, 0.6, 0.75, 0.9))
REPEATS = Axis("repeats", (Repeats(), Repeats(power=0.5), Repeats(power=0.0), Repeats(k3=2.0)))
NBEST = Axis("psq.nbest", (100, 300, 1000))
MIX = Axis("psq.mix", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), limits=(0.0, 1.0))
LOWEST = Axis("psq.lowest", (0.0, 0.001, 0.005, 0.01, 0.05), limits=(0.0,))
CUMULATIVE = Axis("psq.cumulative", (0.9, 0.95, 0.99, 1.0), limits=(1.0,))
JOIN = Axis("bowfd.join", (False, True), limits=(False, True))
SHARE = Axis("weights.expected", (1.0, 2.0, 4.0, 8.0))
POWER = Axis("expected.power", (0.5, 0.7, 0.85, 1.0), limits=(1.0,))
EXPECTED_MIX = Axis("expected.tables.mix", (0.0, 0.25, 0.5, 0.75, 1.0), limits=(0.0, 1.0))
NO_LM = Source("", Translation(language_model=False))
TRANSLATIONS = tuple(Source("", Translation(lm_scale=scale, tuned=tuned))  # BLEU's choice, and others for retrieval
                     for tuned in (1.0, 0.5, 0.0) for scale in (1.0, 0.75, 0.5, 0.25))

PHRASES = "phrases"  # a model of the same text, trained and tuned alike, but without gaps
BY_PHRASES = Source(PHRASES)

DT, PSQ, BOWFD, WITH_EXPECTED = "DT", "PSQ", "BOW-FD", "BOW-FD + expected terms"
STRONGEST = ("DT tuned", "PSQ tuned")  # the baselines that BOW-FD has to beat
SYSTEMS = (
    System(DT, BASELINE, changes={"method": "dt"}),
    System("DT tuned", BASELINE, DT, axes=(K1, B, REPEATS), choices=TRANSLATIONS),
    System(PSQ, BASELINE, changes={"method": "psq", "psq.lowest": 0.001},
           axes=(MIX, NBEST, LOWEST, CUMULATIVE)),
    System("PSQ tuned", BASELINE, PSQ, axes=(K1, B, REPEATS, MIX), choices=TRANSLATIONS),
    System("expected terms", BASELINE, changes={"method": "expected"}, axes=(EXPECTED_MIX, POWER, K1, B),
           choices=TRANSLATIONS),
    System(BOWFD, FORCED, axes=(V,)),
    System("BOW-FD tuned", FORCED, BOWFD, axes=(JOIN, V, K1, B, REPEATS), choices=TRANSLATIONS),
    System(WITH_EXPECTED, FORCED, BOWFD, {"weights.expected": 2.0},
           axes=(SHARE, K1, B, POWER, EXPECTED_MIX, JOIN, REPEATS, V), choices=TRANSLATIONS),
    System("DT −LM", WITHOUT_LM, DT, source=NO_LM),
    System("PSQ −LM", WITHOUT_LM, PSQ, changes={"psq.mix": 1.0}, source=NO_LM),
    System("BOW-FD −LM", WITHOUT_LM, BOWFD, source=NO_LM),
    System("BOW-FD −LM, v tuned", WITHOUT_LM, BOWFD, axes=(V,), source=NO_LM),
    System("BOW-FD, pop limit 30", EXPERIMENT, BOWFD, source=Source("", Translation(pop_limit=30))),
    System("DT, phrase-based", EXPERIMENT, DT, source=BY_PHRASES),
    System("BOW-FD, phrase-based", EXPERIMENT, BOWFD, axes=(V,), source=BY_PHRASES, rival="DT, phrase-based"),
)
