// SPDX-License-Identifier: Apache-2.0
// The events of a run as server-sent events. Each message's id is the byte after its last event, so
// that a browser that reconnects says with Last-Event-ID where to continue. Kinds of message:
//
//   events   a list of events as they are in events.jsonl
//   state    {"state"}: now, and when it changes; a run that is over has no more events
#pragma once

#include <memory>

#include "http/exchange.h"
#include "page/live_run.h"

namespace protium {

// Streams the run's events from byte `from`; from their end if it is negative.
std::unique_ptr<HttpStream> StreamEvents(std::shared_ptr<LiveRun> run, int64_t from);

// Returns the byte after the last event written so far.
int64_t EndOfEvents(const LiveRun& run);

}  // namespace protium
