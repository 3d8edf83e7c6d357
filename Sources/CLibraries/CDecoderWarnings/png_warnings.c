// Leptonica leaves it to libpng to report warnings, which writes them to the standard error: `iCCP: known incorrect sRGB profile` for
// many a screenshot. They are about what surrounds the pixels, and whoever reads a picture can do nothing about them; damaged pixels are
// errors. The definition below takes the place of libpng's. Declared here because Leptonica alone needs that library.

void png_warning(const void *decoder, const char *message);

void png_warning(const void *decoder, const char *message) {
  (void)decoder;
  (void)message;
}
