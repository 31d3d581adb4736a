// Finds out threads of a block that use a number in shared memory without waiting for each other, in whichever order
// they happen to run. The compiler tells of each access as it would tell a race detector (-fsanitize=thread), whose part
// is played here.

// When a thread did something: after how many barriers of all blocks so far, and of its own warp. Shuffles and tensor
// cores are no such barriers. Where several threads, or warps, have done the same, they are not told apart.
struct Moment { unsigned block, warp, turn, thread; };
constexpr unsigned SEVERAL = ~0u;

// What has become of a number: when it was written last, when read since the block's last barrier, and for which block
// a copy to it is on its way.
struct Traces { Moment write, read; unsigned awaited; };

// Shared memory whose size is told at the launch, and what a kernel declares.
struct Watched { const char* start; size_t bytes; std::vector<Traces> traces; };
static Watched watched[2];

UNWATCHED static void watch(Watched& memory, const void* start, size_t bytes) {
  memory.start = (const char*)start;
  memory.bytes = bytes;
  if (memory.traces.size() < bytes / 4) memory.traces.resize(bytes / 4);
}

// Whether something may happen at the same time as what comes now.
UNWATCHED static bool is_beside(const Moment& past, const Moment& now) {
  if (past.block != now.block) return false;
  return past.warp != now.warp || (past.turn == now.turn && past.thread != now.thread);
}

UNWATCHED static void note_read(Moment& read, const Moment& now) {
  if (read.block != now.block) read = now;
  else if (read.warp != now.warp) read.warp = SEVERAL;
  else if (read.turn != now.turn) read = now;
  else if (read.thread != now.thread) read.thread = SEVERAL;
}

enum Access { READ, WRITE, COPY };

// A copy's numbers may be used again when it has arrived, which is as if its thread wrote them then.
UNWATCHED static void touch(const void* at, size_t bytes, Access access) {
  for (Watched& memory : watched) {
    const size_t from = (const char*)at - memory.start;
    if (from >= memory.bytes) continue;
    const Moment now = moment();
    for (size_t i = from / 4; i <= (from + bytes - 1) / 4 && i < memory.bytes / 4; i++) {
      Traces& traces = memory.traces[i];
      if (traces.awaited == block_turn) fail("a number is used before a copy of it has arrived");
      if (is_beside(traces.write, now)) fail("a number is used while another thread may write it");
      if (access == READ) note_read(traces.read, now);
      else if (is_beside(traces.read, now)) fail("a number is written while another thread may read it");
      if (access == WRITE) traces.write = now;
      if (access == COPY) traces.awaited = block_turn;
    }
  }
}

UNWATCHED static void copy_arrived(const void* at, size_t bytes) {
  Watched& memory = watched[0];
  const size_t first = ((const char*)at - memory.start) / 4;
  for (size_t i = first; i < first + bytes / 4; i++) {
    memory.traces[i].awaited = 0;
    memory.traces[i].write = moment();
  }
}

#define OWN extern "C" UNWATCHED __attribute__((visibility("hidden"))) void
OWN __tsan_init() {}
OWN __tsan_func_entry(void*) {}
OWN __tsan_func_exit(void*) {}
OWN __tsan_vptr_update(void*, void*) {}
OWN __tsan_vptr_read(void*) {}
OWN __tsan_read_range(void* at, size_t bytes) { touch(at, bytes, READ); }
OWN __tsan_write_range(void* at, size_t bytes) { touch(at, bytes, WRITE); }
#define OF_SIZE(bytes)                                               \
  OWN __tsan_read##bytes(void* at) { touch(at, bytes, READ); }       \
  OWN __tsan_write##bytes(void* at) { touch(at, bytes, WRITE); }
OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(16)
#define UNALIGNED(bytes)                                                                                       \
  OWN __tsan_unaligned_read##bytes(void*) { fail("numbers are read together that are not aligned"); }         \
  OWN __tsan_unaligned_write##bytes(void*) { fail("numbers are written together that are not aligned"); }
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)
