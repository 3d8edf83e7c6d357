#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decoders of lossy pictures continue after damage: what follows is shifted, gray or noise. They merely warn, and Leptonica and libheif
// keep the warnings to themselves. Other damage shows only in coded data that are left over when the picture is complete. Of libpng's
// warnings none is of use, and `png_warnings.c` keeps them from the terminal.

/// Clears what is known of the JPEG that was decoded last on this thread.
void jpeg_data_clear(void);

/// Whether coded data were left over when the last JPEG on this thread was complete. Leftover data beyond the decoder's own buffer
/// cause a warning instead.
bool jpeg_data_left_over(void);

/// Whether a JPEG in memory is decoded without a sign that its coded data do not fit its picture: a warning or data left over. Ignores
/// warnings about headers, and padding.
bool jpeg_data_fit(const uint8_t *bytes, size_t size);

/// Whether data left over in JPEGs are seen: whether the program's function is found before libjpeg's, and libjpeg's objects are laid
/// out as expected.
bool jpeg_data_are_checked(void);

/// Clears the count of this thread.
void hevc_warnings_clear(void);

/// The number of warnings since then of HEVC decoders that ended on this thread, of coded data that do not fit their picture.
uint32_t hevc_warnings_count(void);

/// Whether libheif's decoders report their warnings: whether the program's function is found before libde265's.
bool hevc_warnings_are_counted(void);
