"""Parts of screens that know no case: tables, text views, lists, themes, the key table and the guide.

It imports `inspector.render`; themes and the key table also import three names of `scoring`.
Read `frame_table.py` first, or `key_table/command.py` for keys.
"""
