"""Tell pytest to explain a failed assertion of a scene's check as it explains a test's."""

import pytest

pytest.register_assert_rewrite("tests.live.scene", "tests.live.scenes")
