"""The two errors as values."""

from __future__ import annotations

import pickle

from triptych.replay import CassetteError, ReplayMiss


def test_a_replay_miss_survives_pickling() -> None:
    miss = pickle.loads(pickle.dumps(ReplayMiss("no answer", "scene.yaml", True)))
    assert (type(miss), str(miss), miss.cassette, miss.played) == (ReplayMiss, "no answer", "scene.yaml", True)


def test_a_cassette_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(CassetteError("scene.yaml", "it is not valid YAML", 7)))
    assert (type(error), str(error)) == (CassetteError, "cassette scene.yaml, line 7: it is not valid YAML")
    assert (error.path, error.reason, error.line) == ("scene.yaml", "it is not valid YAML", 7)
