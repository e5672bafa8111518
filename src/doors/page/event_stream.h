// SPDX-License-Identifier: Apache-2.0
// The events of a run as server-sent events. Each message has the byte behind its last event as its
// id, so that a browser that reconnects names with Last-Event-ID where to go on. Kinds of message:
//
//   events   a list of events as they stand in events.jsonl
//   state    {"state"}: now, and when it changes; a run that is over has no more events
#pragma once

#include <memory>

#include "http/exchange.h"
#include "page/live_run.h"

namespace protium {

// From byte `from` of the run's events on; from their end if it is negative.
std::unique_ptr<HttpStream> StreamEvents(std::shared_ptr<LiveRun> run, int64_t from);

// The byte behind the last event that is there by now.
int64_t EndOfEvents(const LiveRun& run);

}  // namespace protium
