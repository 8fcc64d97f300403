from scoring.data.storage.remembered import IdentityCache


def test_a_result_lasts_as_long_as_what_it_was_made_of():
    made, one, other = [], [1], [1]

    def make():
        made.append(len(made))
        return made[-1]

    kept = IdentityCache(2)
    assert [kept.of("a", (one,), make), kept.of("a", (one,), make)] == [0, 0]
    # Equal is not the same.
    assert kept.of("a", (other,), make) == 1
    assert kept.of("a", (one,), make) == 2
    assert kept.of("a", (one, other), make) == 3
    assert kept.of("a", (), make) == 4


def test_what_was_asked_for_longest_ago_is_forgotten():
    made = []
    kept = IdentityCache(2)
    for key in ("a", "b", "a", "c", "a", "b"):
        kept.of(key, (), lambda key=key: made.append(key))
    assert made == ["a", "b", "c", "b"]
