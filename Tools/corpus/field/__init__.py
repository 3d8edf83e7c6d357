"""The scored family: device backs, screens and labels as strangers photograph them.

Written apart from the other family: no scene, face, layout or camera is shared.
"""

from .scenes import make_look_alike, make_oblique, make_picture, make_round

__all__ = ["make_look_alike", "make_oblique", "make_picture", "make_round"]
