// What kernels of ours need of CUDA, on a CPU. A block's threads take turns: one goes on until it waits for others, in an
// order that changes from block to block. Copies to shared memory arrive only when they are waited for, and shared memory
// is not a number before it is written; and races.h is told of all that threads read and write in it.
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#define __global__ static
#define __device__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__
// Of what races.h need not be told.
#define UNWATCHED __attribute__((no_sanitize("thread")))

struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct uint3 { unsigned x, y, z; };
static float2 make_float2(float x, float y) { return {x, y}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static int2 make_int2(int x, int y) { return {x, y}; }
static uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
static unsigned __float_as_uint(float x) { unsigned y; memcpy(&y, &x, 4); return y; }
static float __uint_as_float(unsigned x) { float y; memcpy(&y, &x, 4); return y; }
static unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
static size_t __cvta_generic_to_shared(const void* at) { return (size_t)at; }
using std::isfinite;

static uint3 threadIdx, blockIdx;

static jmp_buf failed;
[[noreturn]] static void fail(const char* what) {
  fprintf(stderr, "emulated kernel: %s\n", what);
  _longjmp(failed, 1);
}

// Shared memory whose size is told at the launch, with a zone behind it that must stay as it is.
constexpr size_t MOST_SHARED = 232 * 1024, ZONE = 4096;
alignas(16) static char dynamic_shared[MOST_SHARED + ZONE];
static size_t shared_bytes;
// Counts blocks.
static unsigned block_turn;

struct Copy { char* to; const char* from; unsigned size, bytes; };

struct Thread {
  ucontext_t start;
  jmp_buf place;
  std::vector<char> stack;
  bool started, done;
  /** Copies that were issued, group by group; the last group is open. */
  std::vector<std::vector<Copy>> groups;
};

constexpr unsigned WARP = 32;
static std::vector<Thread> threads;
static unsigned current, thread_count;
static jmp_buf scheduler;
static const std::function<void()>* body;

struct Barrier { unsigned arrived, turn; };
static Barrier whole_block, warps[64], shuffles[64];

UNWATCHED static void enter(unsigned id) { current = id; threadIdx = {id, 0, 0}; }

UNWATCHED static void pause_thread() {
  const unsigned me = current;
  if (_setjmp(threads[me].place) == 0) _longjmp(scheduler, 1);
  enter(me);
}

UNWATCHED static void meet(Barrier& barrier, unsigned count) {
  const unsigned turn = barrier.turn;
  if (++barrier.arrived == count) {
    barrier.arrived = 0;
    barrier.turn++;
  } else
    while (barrier.turn == turn) pause_thread();
}

UNWATCHED static void __syncthreads() { meet(whole_block, thread_count); }
UNWATCHED static void __syncwarp() { meet(warps[current / WARP], WARP); }
// A warp's threads meet for a shuffle, or for tensor cores.
UNWATCHED static void meet_for_exchange() { meet(shuffles[current / WARP], WARP); }

struct Moment;
static Moment moment();
#include "races.h"
UNWATCHED static Moment moment() { return {whole_block.turn, current / WARP, warps[current / WARP].turn, current}; }

// Shared memory that a kernel declares, for the block that counts as `block_turn`.
template <size_t N> struct Shared {
  float numbers[N];
  unsigned turn;
  void begin() {
    if (turn == block_turn) return;
    memset(numbers, 0xff, sizeof numbers);
    watch(watched[1], numbers, sizeof numbers);
    turn = block_turn;
  }
  float& operator[](size_t at) {
    if (at >= N) fail("an index beyond shared memory");
    return numbers[at];
  }
};

template <class T> UNWATCHED static T exchanged(T mine, unsigned from) {
  static T held[64][WARP];
  const unsigned warp = current / WARP;
  held[warp][current % WARP] = mine;
  meet_for_exchange();
  const T theirs = held[warp][from % WARP];
  meet_for_exchange();
  return theirs;
}
static float __shfl_xor_sync(unsigned, float x, int mask) { return exchanged(x, (current % WARP) ^ mask); }
static float __shfl_down_sync(unsigned, float x, unsigned by) {
  const unsigned lane = current % WARP;
  return exchanged(x, lane + by < WARP ? lane + by : lane);
}

// mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32: factors with 10 bits of mantissa, the rest of a number is cut off.
struct Fragment { unsigned a[4], b[2]; };
UNWATCHED static void multiply_tile(float (&c)[4], const unsigned (&a)[4], unsigned x, unsigned y) {
  static Fragment held[64][WARP];
  Fragment(&all)[WARP] = held[current / WARP];
  const unsigned lane = current % WARP, group = lane / 4, member = lane % 4;
  all[lane] = {{a[0], a[1], a[2], a[3]}, {x, y}};
  meet_for_exchange();
  const auto tf32 = [](unsigned bits) UNWATCHED { return (double)__uint_as_float(bits & 0xffffe000u); };
  for (unsigned e = 0; e < 4; e++) {
    double sum = c[e];
    for (unsigned k = 0; k < 8; k++) {
      const Fragment& left = all[4 * group + k % 4];
      const Fragment& right = all[4 * (2 * member + e % 2) + k % 4];
      sum += tf32(left.a[e / 2 + (k < 4 ? 0 : 2)]) * tf32(right.b[k / 4]);
    }
    c[e] = (float)sum;
  }
  meet_for_exchange();
}

// cp.async: `bytes` of `size` are copied, the rest is zero.
UNWATCHED static void copy_later(float* to, const float* from, unsigned size, unsigned bytes) {
  if ((size_t)to % size || (bytes && (size_t)from % size)) fail("a copy that is not aligned");
  const char* end = (char*)to + size;
  if ((char*)to < dynamic_shared || end > dynamic_shared + shared_bytes) fail("a copy beyond shared memory");
  if (bytes > size) fail("a copy of more than its size");
  touch(to, size, COPY);
  threads[current].groups.back().push_back({(char*)to, (const char*)from, size, bytes});
}
UNWATCHED static void end_group() { threads[current].groups.emplace_back(); }
UNWATCHED static void wait_for_groups(size_t left) {
  auto& groups = threads[current].groups;
  const size_t arrived = groups.size() > left + 1 ? groups.size() - left - 1 : 0;
  for (size_t i = 0; i < arrived; i++)
    for (const auto& [to, from, size, bytes] : groups[i]) {
      copy_arrived(to, size);
      memcpy(to, from, bytes);
      memset(to + bytes, 0, size - bytes);
    }
  groups.erase(groups.begin(), groups.begin() + arrived);
}
UNWATCHED static void wait_for_all() { end_group(); wait_for_groups(0); }

static void run_thread() {
  enter(current);
  (*body)();
  threads[current].done = true;
  _longjmp(scheduler, 1);
}

static void run_block(bool takes_turns, unsigned turn) {
  block_turn++;
  whole_block.arrived = 0;
  whole_block.turn++;
  watch(watched[0], dynamic_shared, shared_bytes);
  memset(dynamic_shared, 0xff, shared_bytes);
  memset(dynamic_shared + shared_bytes, 0x5a, ZONE);
  if (!takes_turns)
    for (unsigned id = 0; id < thread_count; id++) {
      enter(id);
      (*body)();
    }
  else {
    std::fill(std::begin(warps), std::end(warps), Barrier{});
    std::fill(std::begin(shuffles), std::end(shuffles), Barrier{});
    for (auto& thread : threads) {
      thread.started = thread.done = false;
      thread.groups.assign(1, {});
    }
    ucontext_t main;
    // Not on the stack: it changes between _setjmp and _longjmp.
    static unsigned next, left;
    for (left = thread_count; left > 0;)
      for (next = 0; next < thread_count; next++) {
        const unsigned id = turn % 2 ? thread_count - 1 - next : next;
        if (threads[id].done) continue;
        if (_setjmp(scheduler) == 0) {
          enter(id);
          if (threads[id].started) _longjmp(threads[id].place, 1);
          threads[id].started = true;
          getcontext(&threads[id].start);
          threads[id].start.uc_stack.ss_sp = threads[id].stack.data();
          threads[id].start.uc_stack.ss_size = threads[id].stack.size();
          threads[id].start.uc_link = nullptr;
          makecontext(&threads[id].start, run_thread, 0);
          swapcontext(&main, &threads[id].start);
        }
        if (threads[current].done) left--;
      }
  }
  for (size_t i = 0; i < ZONE; i++)
    if (dynamic_shared[shared_bytes + i] != 0x5a) fail("a write beyond shared memory");
}

template <class... Pointers, size_t... I>
static void call(void (*kernel)(Pointers...), void* const* pointers, std::index_sequence<I...>) {
  kernel((Pointers)pointers[I]...);
}

template <class... Pointers>
static int launch(void (*kernel)(Pointers...), bool takes_turns, void* const* pointers, unsigned x, unsigned y,
                  unsigned z, unsigned count, unsigned bytes) {
  const std::function<void()> thread = [&] { call(kernel, pointers, std::index_sequence_for<Pointers...>()); };
  body = &thread;
  thread_count = count;
  shared_bytes = bytes;
  if (bytes > MOST_SHARED) fail("too much shared memory");
  if (takes_turns && threads.size() < count) threads.resize(count);
  if (takes_turns)
    for (auto& one : threads) one.stack.resize(1 << 16);
  if (_setjmp(failed)) return 1;
  unsigned turn = 0;
  for (unsigned k = 0; k < z; k++)
    for (unsigned j = 0; j < y; j++)
      for (unsigned i = 0; i < x; i++) {
        blockIdx = {i, j, k};
        run_block(takes_turns, turn++);
      }
  return 0;
}
