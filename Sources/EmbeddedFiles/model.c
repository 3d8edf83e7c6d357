#include "EmbeddedFiles.h"

static const unsigned char serial_bytes[] = {
#embed "../TextReading/Model/serial.traineddata"
};

static const unsigned char second_bytes[] = {
#embed "../TextReading/Model/second.traineddata"
};

static const unsigned char glyphs_bytes[] = {
#embed "../TextReading/Model/glyphs.bin"
};

SerialScanEmbeddedFile serialscan_embedded_model(void) {
  return (SerialScanEmbeddedFile){"serial.traineddata", serial_bytes, sizeof(serial_bytes)};
}

SerialScanEmbeddedFile serialscan_embedded_second_model(void) {
  return (SerialScanEmbeddedFile){"second.traineddata", second_bytes, sizeof(second_bytes)};
}

SerialScanEmbeddedFile serialscan_embedded_glyph_model(void) {
  return (SerialScanEmbeddedFile){"glyphs.bin", glyphs_bytes, sizeof(glyphs_bytes)};
}
