#ifndef SANITIZED_H
#define SANITIZED_H

// Whether this build includes a sanitizer's runtime.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#endif
