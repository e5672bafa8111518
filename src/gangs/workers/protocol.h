// SPDX-License-Identifier: Apache-2.0
// The messages between a driver and its worker.
//
// A worker is the driver's own program, started with PROTIUM_WORKER=<number of a descriptor>, one
// end of a channel, or forked by a zygote (pool/zygote.h). Every message is a frame (os/link.h).
// Messages within a task have its number as `task`; either side ignores messages about a task that
// has ended.
//
// driver to worker
//   load                              load the LibTorch library; the reply is "loaded"
//   task   {task, name, config, rank, world, attempt, host, devices: [{name, address}], gang,
//           deadline, beat, log, input_bytes, bends, newcomer, patience}
//                                     run a task; times in milliseconds. Raw: input schema
//                                     (input_bytes) and output schema, each an Arrow IPC message.
//                                     Descriptors: the log, if `log`, then for a gang a socket to
//                                     every other rank, by rank
//   batch  {task, slot, bytes}        an Arrow IPC record batch is at the start of `slot`. One
//                                     descriptor: the slot is new, this is its memory
//   end    {task}                     no more batches
//   taken  {task}                     a batch of the worker's has left the driver's queue
//   free   {task, slot}               the worker may use its slot again
//   call   {task, generation, rank, cut, why}
//                                     in an elastic gang: the generation to enter next, at once
//                                     (cut) or after a step; rank -1: leave the gang. Descriptors:
//                                     a socket to every other rank, by rank
//   parts  {task, parts: [{bytes, memories}]}
//                                     what ranks have shared, by their first rank. Raw: the texts;
//                                     descriptors: the memories
//   stop   {task}                     end early, but normally
// worker to driver
//   ready  {version}                  the first message
//   loaded {error}                    {} if the library is loaded
//   batch, taken, free                as above, for what the task emits and reads
//   beat   {task}                     the process lives; every `beat` milliseconds, not sent by the
//                                     task's thread
//   event  {task, event, rank}        TaskContext::Send; with the rank in an elastic gang
//   saved  {task}                     TaskContext::Saved
//   share  {task}                     a part to store with the gang. Raw: its text; descriptors
//   notice {task}                     the process was asked to end (SIGTERM), and leaves the gang
//                                     normally
//   prepared {task}                   a newcomer waits for its first call
//   entered {task, generation, step}  the rank goes on there, after so many steps
//   failed {task, generation, status} a collective call failed; the rank waits for a call
//   done   {task, status, at}         the task is over; `at`: its time in nanoseconds on the
//                                     monotonic clock
//
// Slots: the sender makes them, at most kWindow batches ahead of what the receiver has taken. A
// receiver borrows a slot until the last reference to its batch is dropped.
#pragma once

#include <cstdint>

#include "os/link.h"

namespace protium {

// Driver and worker are one program; they differ only if its file was replaced while it ran.
inline constexpr int32_t kProtocolVersion = 2;
inline constexpr char kWorkerVariable[] = "PROTIUM_WORKER";
// Enough for the sender to stay ahead, few enough that a slow receiver holds little memory.
inline constexpr int32_t kWindow = 4;

}  // namespace protium
