#define _GNU_SOURCE
#include <dlfcn.h>
#include <allheaders.h>

#include "CTesseractShortcuts.h"

// Tesseract passes every line to its recogniser as a compressed PNG (`ImageData::SetPix`, 5.3, if built without
// TESSERACT_IMAGEDATA_AS_PIX), which takes one twentieth of the time of a read. Leptonica's own serialised format
// contains the same pixels, and `pixReadMem` reads it. This definition replaces Leptonica's for everything that
// libtesseract writes to memory. The project calls `pixWriteMemPng`, which still writes PNG.
l_ok pixWriteMem(l_uint8 **data, size_t *size, PIX *pix, l_int32 format) {
  if (format == IFF_PNG) return pixWriteMemSpix(data, size, pix);
  l_ok (*original)(l_uint8 **, size_t *, PIX *, l_int32) = dlsym(RTLD_NEXT, "pixWriteMem");
  return original ? original(data, size, pix, format) : 1;
}

bool tesseract_does_not_compress_lines(void) {
  return dlsym((void *)0, "pixWriteMem") == (void *)pixWriteMem && dlsym(RTLD_NEXT, "pixWriteMem");
}
