#define _GNU_SOURCE
#include "CReaderChild.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

void reader_bind_to_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_NAME, "serialscan-read");
}

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_ARCHITECTURE

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE_CALL(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), REFUSE

int reader_drop_rights(void) {
  // A list of what decoders never need: it stops what a hijacked one would do next (call home, start a shell, reach
  // into the server), and is no proof against one that only reads or writes files.
  struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0),
    REFUSE,
    LOAD(nr),
#if defined(__x86_64__)
    // The x32 calls are the same ones under other numbers.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    REFUSE,
#endif
    REFUSE_CALL(socket),
    REFUSE_CALL(connect),
    REFUSE_CALL(bind),
    REFUSE_CALL(listen),
    REFUSE_CALL(execve),
    REFUSE_CALL(execveat),
    REFUSE_CALL(ptrace),
    REFUSE_CALL(process_vm_readv),
    REFUSE_CALL(process_vm_writev),
    REFUSE_CALL(pidfd_getfd),
    REFUSE_CALL(pidfd_send_signal),
    REFUSE_CALL(kill),
    REFUSE_CALL(bpf),
    REFUSE_CALL(perf_event_open),
    REFUSE_CALL(io_uring_setup),
    REFUSE_CALL(keyctl),
    REFUSE_CALL(mount),
    REFUSE_CALL(unshare),
    REFUSE_CALL(setns),
    REFUSE_CALL(chroot),
    ALLOW,
  };
  struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return errno;
  return 0;
}

#else

int reader_drop_rights(void) { return ENOSYS; }

#endif
