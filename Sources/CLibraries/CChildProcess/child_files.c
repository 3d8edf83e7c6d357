#define _GNU_SOURCE
#include "CChildProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Missing from the headers of older systems.
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define CHANGES                                                                                             \
  (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |         \
   LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |               \
   LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |            \
   LANDLOCK_ACCESS_FS_MAKE_SYM)
#define OF_A_FILE                                                                                           \
  (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)

// Paths that libraries read at run time: plug-ins (libheif), fonts and tables, the time zone, the number of processors.
// None contains user data.
static const char *const of_the_system[] = {
  "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share", "/etc/ld.so.cache", "/etc/localtime",
  "/dev/urandom", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu", NULL,
};

/// Returns the Landlock access rights that this kernel can restrict; 0 without Landlock.
static uint64_t known_access(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return 0;
  uint64_t known = LANDLOCK_ACCESS_FS_EXECUTE | READING | CHANGES;
  // Before version 3 (Linux 6.2), Landlock cannot restrict truncation.
  if (version >= 3) known |= LANDLOCK_ACCESS_FS_TRUNCATE;
  return known;
}

static int allow(int rules, const char *path, uint64_t access) {
  struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
  if (rule.parent_fd < 0) return errno;
  struct stat status;
  int error = fstat(rule.parent_fd, &status) == 0 ? 0 : errno;
  rule.allowed_access = S_ISDIR(status.st_mode) ? access : access & OF_A_FILE;
  if (!error && syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) error = errno;
  close(rule.parent_fd);
  return error;
}

/// Allows reading the paths. Skips missing ones.
static int allow_reading(int rules, const char *const *paths) {
  int error = 0;
  for (; !error && *paths; paths++) {
    error = allow(rules, *paths, READING);
    if (error == ENOENT || error == ENOTDIR || error == EACCES) error = 0;
  }
  return error;
}

int child_confine_files(void) {
  const uint64_t known = known_access();
  if (!known) return ENOSYS;
  struct landlock_ruleset_attr attributes = {.handled_access_fs = known};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0);
  if (rules < 0) return errno;
  int error = allow_reading(rules, of_the_system);
  // Tesseract prints its debugging output there.
  if (!error) error = allow(rules, "/dev/null", known & OF_A_FILE);
  if (!error && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) error = errno;
  if (!error && syscall(SYS_landlock_restrict_self, rules, 0) != 0) error = errno;
  close(rules);
  return error;
}
