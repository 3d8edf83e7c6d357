#ifndef SANITIZED_H
#define SANITIZED_H

// Whether this build has a sanitizer's runtime in it.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#endif
