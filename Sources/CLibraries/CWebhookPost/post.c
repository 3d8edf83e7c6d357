#define _GNU_SOURCE
#include "CWebhookPost.h"

#include <curl/curl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct progress {
  const struct webhook_post *post;
  size_t body_bytes;
  size_t header_bytes;
};

static pthread_once_t begun = PTHREAD_ONCE_INIT;

static void begin(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

static bool is_listed(const char *address, const char *list) {
  const size_t length = strlen(address);
  while (*list) {
    const size_t item = strcspn(list, ",");
    if (item == length && memcmp(list, address, length) == 0) return true;
    list += item;
    if (*list == ',') list++;
  }
  return false;
}

// The final check of a connection's address, however libcurl obtained it.
static curl_socket_t open_listed(void *context, curlsocktype purpose, struct curl_sockaddr *place) {
  const struct progress *progress = context;
  char text[NI_MAXHOST];
  if (purpose != CURLSOCKTYPE_IPCXN) return CURL_SOCKET_BAD;
  if (getnameinfo(&place->addr, place->addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0) return CURL_SOCKET_BAD;
  if (!is_listed(text, progress->post->addresses)) return CURL_SOCKET_BAD;
  return socket(place->family, place->socktype | SOCK_CLOEXEC, place->protocol);
}

static size_t drop_body(char *bytes, size_t size, size_t count, void *context) {
  struct progress *progress = context;
  (void)bytes;
  progress->body_bytes += size * count;
  return progress->body_bytes > progress->post->most_bytes ? 0 : size * count;
}

static size_t drop_header(char *bytes, size_t size, size_t count, void *context) {
  struct progress *progress = context;
  (void)bytes;
  progress->header_bytes += size * count;
  return progress->header_bytes > progress->post->most_bytes ? 0 : size * count;
}

static int look_at_stop(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  const struct progress *progress = context;
  (void)a, (void)b, (void)c, (void)d;
  return webhook_is_stopped(progress->post->stop);
}

bool webhook_is_stopped(const int32_t *stop) { return __atomic_load_n(stop, __ATOMIC_RELAXED) != 0; }

void webhook_stop(int32_t *stop) { __atomic_store_n(stop, 1, __ATOMIC_RELAXED); }

// HOST:PORT:ADDRESS,ADDRESS with IPv6 addresses in brackets (libcurl's format).
static struct curl_slist *pinned(const struct webhook_post *post) {
  const size_t size = strlen(post->host) + 2 * strlen(post->addresses) + 32;
  char *line = malloc(size);
  if (!line) return NULL;
  int used = snprintf(line, size, "%s:%d:", post->host, post->port);
  const char *rest = post->addresses;
  while (*rest) {
    const int item = (int)strcspn(rest, ",");
    const bool is_six = memchr(rest, ':', (size_t)item) != NULL;
    used += snprintf(line + used, size - (size_t)used, is_six ? "[%.*s]" : "%.*s", item, rest);
    rest += item;
    if (*rest == ',') {
      used += snprintf(line + used, size - (size_t)used, ",");
      rest++;
    }
  }
  struct curl_slist *list = curl_slist_append(NULL, line);
  free(line);
  return list;
}

static struct curl_slist *lines(const char *text) {
  struct curl_slist *list = NULL;
  while (*text) {
    const size_t length = strcspn(text, "\n");
    char *line = strndup(text, length);
    struct curl_slist *longer = line ? curl_slist_append(list, line) : NULL;
    free(line);
    // A request must not be sent without one of its headers.
    if (!longer) {
      curl_slist_free_all(list);
      return NULL;
    }
    list = longer;
    text += length;
    if (*text) text++;
  }
  return list;
}

void webhook_send(const struct webhook_post *post, struct webhook_answer *answer) {
  *answer = (struct webhook_answer){0};
  pthread_once(&begun, begin);
  struct progress progress = {.post = post};
  struct curl_slist *headers = lines(post->headers);
  struct curl_slist *places = pinned(post);
  CURL *curl = curl_easy_init();
  if (!curl || !places || !headers) {
    snprintf(answer->error, sizeof answer->error, "there is no memory left");
  } else {
    char details[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_URL, post->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(curl, CURLOPT_RESOLVE, places);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_listed);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, &progress);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, post->user_agent);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->body_size);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, (const char *)post->body);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &progress);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, drop_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &progress);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_at_stop);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &progress);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, post->timeout);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, post->timeout);
    // Timeouts without signals, because the program handles those.
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, details);
    const CURLcode code = curl_easy_perform(curl);
    // A response longer than the limit still has a status.
    if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && progress.body_bytes > post->most_bytes)) {
      curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer->status);
    }
    if (answer->status == 0) {
      snprintf(answer->error, sizeof answer->error, "%s", details[0] ? details : curl_easy_strerror(code));
    }
  }
  if (curl) curl_easy_cleanup(curl);
  curl_slist_free_all(places);
  curl_slist_free_all(headers);
}

const char *webhook_resolve(const char *host, char *addresses, size_t size) {
  const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  addresses[0] = 0;
  const int code = getaddrinfo(host, NULL, &hints, &found);
  if (code != 0) return gai_strerror(code);
  size_t used = 0;
  for (const struct addrinfo *item = found; item; item = item->ai_next) {
    char text[NI_MAXHOST];
    if (getnameinfo(item->ai_addr, item->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0) continue;
    const size_t length = strlen(text);
    if (used + length + 2 > size) break;
    if (used > 0) addresses[used++] = ',';
    memcpy(addresses + used, text, length + 1);
    used += length;
  }
  freeaddrinfo(found);
  return NULL;
}
