#ifndef SERIALSCAN_CZXING_SHIM_H
#define SERIALSCAN_CZXING_SHIM_H

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the library is there; grows into the reading call.
int serialscan_zxing_available(void);

#ifdef __cplusplus
}
#endif
#endif
