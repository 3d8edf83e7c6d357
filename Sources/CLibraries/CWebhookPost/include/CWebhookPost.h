#ifndef C_WEBHOOK_POST_H
#define C_WEBHOOK_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One POST over a new connection. Strings are terminated by NUL.
struct webhook_post {
  const char *url;
  /// The URL's host, and its port.
  const char *host;
  int port;
  /// The allowed IP addresses in numeric notation, separated by commas.
  const char *addresses;
  /// Lines such as `webhook-id: ...`, each ending in a newline.
  const char *headers;
  const char *user_agent;
  const uint8_t *body;
  size_t body_size;
  /// Timeout of the whole request in milliseconds.
  long timeout;
  /// Maximum bytes read of the response's headers, and of its body, before the connection is closed.
  size_t most_bytes;
  /// The request ends soon after this is no longer 0.
  const int32_t *stop;
};

struct webhook_answer {
  /// The response's status; 0 if there was no response.
  long status;
  /// Why there is no status; empty otherwise.
  char error[256];
};

/// Sends a request and waits for the response. Follows no redirects, uses no proxy, and connects only to the given
/// addresses.
void webhook_send(const struct webhook_post *post, struct webhook_answer *answer);

/// Ends the requests that use `stop`.
void webhook_stop(int32_t *stop);

/// Whether `webhook_stop` was called.
bool webhook_is_stopped(const int32_t *stop);

/// Resolves a host once, and writes its addresses in numeric notation, separated by commas. Returns an error message,
/// or NULL.
const char *webhook_resolve(const char *host, char *addresses, size_t size);

#endif
