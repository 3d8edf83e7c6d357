#include "CZXingShim.h"

extern "C" int serialscan_zxing_available(void) { return 1; }
