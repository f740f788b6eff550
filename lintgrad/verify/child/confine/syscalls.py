"""The system calls that the filter knows, and their numbers on each machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

REFUSED = (
    # the network, and sockets of any kind
    "socket connect bind listen accept accept4 sendmmsg "
    # other programs and processes; `clone` is looked at more closely, since it makes threads as well
    "execve execveat fork vfork "
    # signals to other processes, looking into them, their priorities; leaving the process group
    "tkill rt_sigqueueinfo rt_tgsigqueueinfo ptrace process_vm_readv process_vm_writev process_madvise kcmp "
    "pidfd_open pidfd_send_signal pidfd_getfd setpgid setsid setpriority sched_setaffinity ioprio_set "
    # raising limits again
    "setrlimit "
    # a second way to most of the calls here
    "io_uring_setup io_uring_enter io_uring_register "
    # what is mounted where, and namespaces
    "mount umount2 pivot_root chroot setns unshare open_tree move_mount fsopen fsmount fsconfig fspick "
    "mount_setattr mknod mknodat name_to_handle_at open_by_handle_at "
    # memory that outlives the process or that no limit counts
    "shmget msgget semget mq_open memfd_secret "
    # the kernel's keys, its inner life, the machine's clock and name
    "keyctl add_key request_key bpf perf_event_open userfaultfd init_module finit_module delete_module "
    "kexec_load kexec_file_load reboot swapon swapoff acct quotactl quotactl_fd syslog settimeofday "
    "clock_settime clock_adjtime adjtimex sethostname setdomainname iopl ioperm personality"
).split()
"""Calls that fail."""

DRESSING = (
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat "
    "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr"
).split()
"""Calls that do nothing and seem to succeed."""


@dataclass(frozen=True)
class Architecture:
    """`audit` is the kernel's name for the machine (`AUDIT_ARCH_...`); `numbers` are those of the calls."""

    audit: int
    numbers: Mapping[str, int]


def _numbers(table: str) -> dict[str, int]:
    pairs = (entry.split("=") for entry in table.split())
    return {name: int(number) for name, number in pairs}


_X86_64 = """
accept=43 accept4=288 acct=163 add_key=248 adjtimex=159 bind=49 bpf=321 chmod=90 chown=92
chroot=161 clock_adjtime=305 clock_settime=227 clone=56 clone3=435 connect=42 delete_module=176
execve=59 execveat=322 fchmod=91 fchmodat=268 fchmodat2=452 fchown=93 fchownat=260
finit_module=313 fork=57 fremovexattr=199 fsconfig=431 fsetxattr=190 fsmount=432 fsopen=430
fspick=433 futimesat=261 init_module=175 io_uring_enter=426 io_uring_register=427
io_uring_setup=425 ioperm=173 iopl=172 ioprio_set=251 kcmp=312 kexec_file_load=320 kexec_load=246
keyctl=250 kill=62 lchown=94 listen=50 lremovexattr=198 lsetxattr=189 memfd_secret=447 mknod=133
mknodat=259 mount=165 mount_setattr=442 move_mount=429 mq_open=240 msgget=68 name_to_handle_at=303
open_by_handle_at=304 open_tree=428 perf_event_open=298 personality=135 pidfd_getfd=438
pidfd_open=434 pidfd_send_signal=424 pivot_root=155 prctl=157 prlimit64=302 process_madvise=440
process_vm_readv=310 process_vm_writev=311 ptrace=101 quotactl=179 quotactl_fd=443 reboot=169
removexattr=197 request_key=249 rt_sigqueueinfo=129 rt_tgsigqueueinfo=297 sched_setaffinity=203
semget=64 sendmmsg=307 setdomainname=171 sethostname=170 setns=308 setpgid=109 setpriority=141
setrlimit=160 setsid=112 settimeofday=164 setxattr=188 shmget=29 socket=41 swapoff=168 swapon=167
syslog=103 tgkill=234 tkill=200 umount2=166 unshare=272 userfaultfd=323 utime=132 utimensat=280
utimes=235 vfork=58
"""

_AARCH64 = """
accept=202 accept4=242 acct=89 add_key=217 adjtimex=171 bind=200 bpf=280 chroot=51
clock_adjtime=266 clock_settime=112 clone=220 clone3=435 connect=203 delete_module=106 execve=221
execveat=281 fchmod=52 fchmodat=53 fchmodat2=452 fchown=55 fchownat=54 finit_module=273
fremovexattr=16 fsconfig=431 fsetxattr=7 fsmount=432 fsopen=430 fspick=433 init_module=105
io_uring_enter=426 io_uring_register=427 io_uring_setup=425 ioprio_set=30 kcmp=272
kexec_file_load=294 kexec_load=104 keyctl=219 kill=129 listen=201 lremovexattr=15 lsetxattr=6
memfd_secret=447 mknodat=33 mount=40 mount_setattr=442 move_mount=429 mq_open=180 msgget=186
name_to_handle_at=264 open_by_handle_at=265 open_tree=428 perf_event_open=241 personality=92
pidfd_getfd=438 pidfd_open=434 pidfd_send_signal=424 pivot_root=41 prctl=167 prlimit64=261
process_madvise=440 process_vm_readv=270 process_vm_writev=271 ptrace=117 quotactl=60
quotactl_fd=443 reboot=142 removexattr=14 request_key=218 rt_sigqueueinfo=138
rt_tgsigqueueinfo=240 sched_setaffinity=122 semget=190 sendmmsg=269 setdomainname=162
sethostname=161 setns=268 setpgid=154 setpriority=140 setrlimit=164 setsid=157 settimeofday=170
setxattr=5 shmget=194 socket=198 swapoff=225 swapon=224 syslog=116 tgkill=131 tkill=130 umount2=39
unshare=97 userfaultfd=282 utimensat=88
"""

ARCHITECTURES: Mapping[str, Architecture] = {
    "x86_64": Architecture(0xC000003E, _numbers(_X86_64)),
    "aarch64": Architecture(0xC00000B7, _numbers(_AARCH64)),
}
"""By what `platform.machine()` says."""
