// SPDX-License-Identifier: Apache-2.0
// A run in progress, as a test that disturbs it sees it: through its folder.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "whole/command.h"

namespace protium::whole {

// The only run in the folder `runs`, or below scratch/runs; empty if there is none yet.
std::filesystem::path OnlyRun(const std::filesystem::path& runs);
std::filesystem::path OnlyRun(const Scratch& scratch);
// All events so far.
std::vector<Json> EventsOf(const Scratch& scratch);
// The events of one name.
std::vector<Json> EventsNamed(const Scratch& scratch, const std::string& name);
// Waits until training has reached `step`; false if the command ended before.
bool AwaitStep(Running& command, const Scratch& scratch, int64_t step);
// Waits until there are this many events of a name; false if the command ended before.
bool AwaitEvents(Running& command, const Scratch& scratch, const std::string& name, size_t count);
// The process of a rank, or of a member of an elastic gang, as named in the run's events; -1: not
// known.
pid_t PidOfRank(const Scratch& scratch, int rank);
// Sends `signal` to it; false if it is not known or has ended.
bool SignalRank(const Scratch& scratch, int rank, int signal);

}  // namespace protium::whole
