#ifndef C_WEBHOOK_POST_H
#define C_WEBHOOK_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One POST over one fresh connection. Texts end with a NUL.
struct webhook_post {
  const char *url;
  /// The URL's host, and its port.
  const char *host;
  int port;
  /// The IP addresses that may be connected to, as numbers, separated by commas.
  const char *addresses;
  /// Lines like `webhook-id: ...`, each ended by a newline.
  const char *headers;
  const char *user_agent;
  const uint8_t *body;
  size_t body_size;
  /// Milliseconds for all of it.
  long timeout;
  /// Bytes of the answer that are read, apart for its headers and its body, before the connection is cut.
  size_t most_bytes;
  /// Ends the request soon after it is other than 0.
  const int32_t *stop;
};

struct webhook_answer {
  /// The status, 0 where none came.
  long status;
  /// Why there is no status; empty otherwise.
  char error[256];
};

/// Sends a request and waits for its answer. Follows no redirect, uses no proxy, and connects to none but the addresses given.
void webhook_send(const struct webhook_post *post, struct webhook_answer *answer);

/// Makes requests that look at `stop` end.
void webhook_stop(int32_t *stop);

/// Whether that was asked for.
bool webhook_is_stopped(const int32_t *stop);

/// Looks a host's addresses up once, and writes them as numbers, separated by commas. Returns what is wrong, or NULL.
const char *webhook_resolve(const char *host, char *addresses, size_t size);

#endif
