import Imaging

/// A gray picture without anything on it.
let blank = GrayPicture(width: 400, height: 300, gray: 180)
