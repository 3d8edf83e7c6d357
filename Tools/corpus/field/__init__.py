"""The scored family: device backs, screens and labels as photographed by users.

Independent of the other family: they share no scenes, typefaces, layouts or cameras.
"""

from .scenes import make_look_alike, make_oblique, make_picture, make_round

__all__ = ["make_look_alike", "make_oblique", "make_picture", "make_round"]
