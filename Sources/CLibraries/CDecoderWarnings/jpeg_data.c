#define _GNU_SOURCE
#define JPEG_INTERNALS
#include "CDecoderWarnings.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

enum { BITS_OF_BYTE = 8 };

// The beginning of libjpeg-turbo's Huffman decoders, for baseline and progressive files alike (jdhuff.h). `layout_is_known` checks it.
struct huffman_decoder {
  struct jpeg_entropy_decoder base;
  size_t bits;
  int bit_count;
};

static pthread_once_t layout_once = PTHREAD_ONCE_INIT;
static bool layout_is_known;
static _Thread_local bool left_over;

static const struct huffman_decoder *huffman(const struct jpeg_decompress_struct *decoder) {
  return decoder->arith_code ? NULL : (const struct huffman_decoder *)decoder->entropy;
}

// The whole bytes that the decoder took from the file and has not used.
static int unused_bytes(const struct jpeg_decompress_struct *decoder) {
  const struct huffman_decoder *bits = huffman(decoder);
  const int of_buffer = (int)sizeof bits->bits;
  if (!bits || bits->bit_count < 0 || bits->bit_count > of_buffer * BITS_OF_BYTE) return 0;
  return bits->bit_count / BITS_OF_BYTE;
}

// Takes the place of libjpeg's function, which Leptonica calls when it has all rows.
boolean jpeg_finish_decompress(j_decompress_ptr decoder) {
  boolean (*const finish)(j_decompress_ptr) = (boolean (*)(j_decompress_ptr))dlsym(RTLD_NEXT, "jpeg_finish_decompress");
  // What preceded a restart marker is counted with the discarded bytes.
  if (layout_is_known && unused_bytes(decoder) + (int)decoder->marker->discarded_bytes > 0) left_over = true;
  return finish ? finish(decoder) : FALSE;
}

struct check {
  struct jpeg_error_mgr errors; // first, since libjpeg hands on its address
  jmp_buf failed;
  const uint8_t *bytes;
  // Some cameras pad the coded data with bytes of one value: that value, and how many there were.
  uint8_t padding;
  size_t padding_count;
};

static bool take_padding(struct check *check, uint8_t byte) {
  if (check->padding_count > 0 && byte != check->padding) return false;
  check->padding = byte;
  ++check->padding_count;
  return true;
}

// Whether all that was taken is padding. A single byte may be anything, unless it is 0.
static bool is_padding(const struct check *check) { return check->padding_count != 1 || check->padding == 0; }

static bool take_skipped(struct check *check, const uint8_t *end, int count) {
  if (count <= 0 || count > end - check->bytes) return false;
  for (int back = count; back > 0; --back) {
    if (!take_padding(check, end[-back])) return false;
  }
  return true;
}

static bool take_unused(struct check *check, const struct jpeg_decompress_struct *decoder) {
  for (int byte = unused_bytes(decoder) - 1; byte >= 0; --byte) {
    if (!take_padding(check, (uint8_t)(huffman(decoder)->bits >> (byte * BITS_OF_BYTE)))) return false;
  }
  // Of those before restart markers only the number is known.
  return decoder->marker->discarded_bytes == 0;
}

static void fail(j_common_ptr info) { longjmp(((struct check *)info->err)->failed, 1); }

static void warn(j_common_ptr info, int level) {
  if (level >= 0) return;
  const struct jpeg_decompress_struct *decoder = (const struct jpeg_decompress_struct *)info;
  switch (info->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL: return;
    case JWRN_EXTRANEOUS_DATA: {
      // Before the first scan there are no coded data.
      if (decoder->input_scan_number == 0) return;
      if (take_skipped((struct check *)info->err, decoder->src->next_input_byte, info->err->msg_parm.i[0])) return;
      break;
    }
    default: break;
  }
  fail(info);
}

static bool data_fit(const uint8_t *bytes, size_t size, bool checks_left_over) {
  struct check check = {.bytes = bytes};
  struct jpeg_decompress_struct decoder = {.err = jpeg_std_error(&check.errors)};
  check.errors.error_exit = fail;
  check.errors.emit_message = warn;
  if (setjmp(check.failed)) {
    jpeg_destroy_decompress(&decoder);
    return false;
  }
  jpeg_create_decompress(&decoder);
  jpeg_mem_src(&decoder, bytes, size);
  jpeg_read_header(&decoder, TRUE);
  // All coded data are read, with the least arithmetic.
  decoder.scale_num = 1;
  decoder.scale_denom = 8;
  if (decoder.jpeg_color_space == JCS_YCbCr) decoder.out_color_space = JCS_GRAYSCALE;
  jpeg_start_decompress(&decoder);
  JSAMPARRAY row = decoder.mem->alloc_sarray(
      (j_common_ptr)&decoder, JPOOL_IMAGE, decoder.output_width * (JDIMENSION)decoder.output_components, 1);
  while (decoder.output_scanline < decoder.output_height) jpeg_read_scanlines(&decoder, row, 1);
  if (checks_left_over && !take_unused(&check, &decoder)) fail((j_common_ptr)&decoder);
  jpeg_finish_decompress(&decoder);
  if (checks_left_over && !is_padding(&check)) fail((j_common_ptr)&decoder);
  jpeg_destroy_decompress(&decoder);
  return true;
}

// Codes a picture of noise; the caller frees the bytes.
static unsigned char *coded_noise(unsigned long *size) {
  enum { SIDE = 32 };
  struct jpeg_error_mgr errors;
  struct jpeg_compress_struct coder = {.err = jpeg_std_error(&errors)};
  unsigned char *bytes = NULL;
  jpeg_create_compress(&coder);
  jpeg_mem_dest(&coder, &bytes, size);
  coder.image_width = coder.image_height = SIDE;
  coder.input_components = 1;
  coder.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&coder);
  jpeg_start_compress(&coder, TRUE);
  unsigned noise = 1;
  while (coder.next_scanline < coder.image_height) {
    JSAMPLE row[SIDE];
    for (int x = 0; x < SIDE; ++x) row[x] = (JSAMPLE)((noise = noise * 1664525 + 1013904223) >> 24);
    jpeg_write_scanlines(&coder, (JSAMPROW[]){row}, 1);
  }
  jpeg_finish_compress(&coder);
  jpeg_destroy_compress(&coder);
  return bytes;
}

// Checks that what is read of libjpeg's private objects is what is meant: nothing is left over of a good picture, and exactly the bytes
// that are inserted before its end marker.
static void check_layout(void) {
  unsigned long size = 0;
  unsigned char *bytes = coded_noise(&size);
  if (!bytes || size < 4) return;
  unsigned char *longer = malloc(size + 3);
  if (longer) {
    for (unsigned long at = 0; at < size - 2; ++at) longer[at] = bytes[at];
    const unsigned char end[] = {0x12, 0x34, 0x56, 0xFF, 0xD9};
    for (unsigned long at = 0; at < sizeof end; ++at) longer[size - 2 + at] = end[at];
    layout_is_known = data_fit(bytes, size, true) && data_fit(longer, size + 3, false) && !data_fit(longer, size + 3, true);
  }
  free(longer);
  free(bytes);
}

void jpeg_data_clear(void) {
  pthread_once(&layout_once, check_layout);
  left_over = false;
}

bool jpeg_data_left_over(void) { return left_over; }

bool jpeg_data_fit(const uint8_t *bytes, size_t size) {
  pthread_once(&layout_once, check_layout);
  return data_fit(bytes, size, layout_is_known);
}

bool jpeg_data_are_checked(void) {
  pthread_once(&layout_once, check_layout);
  void *first = dlsym(RTLD_DEFAULT, "jpeg_finish_decompress");
  void *second = dlsym(RTLD_NEXT, "jpeg_finish_decompress");
  return layout_is_known && first == (void *)jpeg_finish_decompress && second && second != first;
}
