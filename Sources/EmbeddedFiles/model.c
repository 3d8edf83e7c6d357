#include "EmbeddedFiles.h"

static const unsigned char bytes[] = {
#embed "../TextReading/Model/serial.traineddata"
};

SerialScanEmbeddedFile serialscan_embedded_model(void) {
  return (SerialScanEmbeddedFile){"serial.traineddata", bytes, sizeof(bytes)};
}
