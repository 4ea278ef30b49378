#include <stddef.h>
/*
 * What Debian's libstdc++ and libgcc, which are made for glibc, ask of their C library and musl does not have. With it
 * a binary for musl is tried on Debian, which has no libstdc++ for musl. It is in no package.
 */
extern long getrandom(void *, size_t, unsigned);
unsigned arc4random(void) { unsigned v; getrandom(&v, sizeof v, 0); return v; }
extern size_t strftime_l(char *, size_t, const char *, const void *, void *);
size_t __strftime_l(char *a, size_t b, const char *c, const void *d, void *e) { return strftime_l(a, b, c, d, e); }
int __cxa_thread_atexit_impl(void (*f)(void *), void *o, void *d) { return 0; }
char __libc_single_threaded = 0;
int _dl_find_object(void *pc, void *result) { return -1; }
int __cpu_indicator_init(void) { return 0; }
struct { unsigned a, b, c, d[1]; } __cpu_model;
