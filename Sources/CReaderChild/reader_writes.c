#define _GNU_SOURCE
#include "CReaderChild.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// What the first version of Landlock (Linux 5.13) knows, so that every kernel that has it takes the same rules.
#define CHANGES                                                                                             \
  (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |         \
   LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |               \
   LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |            \
   LANDLOCK_ACCESS_FS_MAKE_SYM)

static int allow(int rules, const char *path, uint64_t access) {
  struct landlock_path_beneath_attr rule = {
    .allowed_access = access,
    .parent_fd = open(path, O_PATH | O_CLOEXEC),
  };
  if (rule.parent_fd < 0) return errno;
  int error = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0 ? 0 : errno;
  close(rule.parent_fd);
  return error;
}

int reader_confine_writes(const char *folder) {
  struct landlock_ruleset_attr attributes = {.handled_access_fs = CHANGES};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0);
  if (rules < 0) return errno;
  // Tesseract prints its debugging output there.
  int error = allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
  if (!error && folder) {
    error = allow(rules, folder,
                  LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG);
  }
  if (!error && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) error = errno;
  if (!error && syscall(SYS_landlock_restrict_self, rules, 0) != 0) error = errno;
  close(rules);
  return error;
}
