"""Strategies for rows that hold anything that JSON can, near the shape of a format and far from it."""

from hypothesis import strategies as st

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def rows_near(row, max_size=4):
    """Lists of rows that are like this one with a few fields gone or anything, or that are anything."""
    keys = st.sampled_from(sorted(row))
    changed = st.builds(
        lambda gone, odd: {**{key: value for key, value in row.items() if key not in gone}, **odd},
        st.sets(keys, max_size=2),
        st.dictionaries(keys, ANY_JSON, max_size=3),
    )
    return st.lists(changed | ANY_JSON, max_size=max_size)
