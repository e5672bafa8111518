// SPDX-License-Identifier: Apache-2.0
// The last step of the launcher: becoming the program.
#pragma once

namespace protium::launcher {

// Becomes the program that reads tasks from `socket`, whose number it finds in the environment.
// `own_name` is the name that the launcher was started by: "./protium-worker.HASH.HASH" names
// bundles, any other NAME-launcher stands for the program NAME in the same folder. If there is none
// to start, reports the reason to the JVM as the error of its first task.
[[noreturn]] void StartProgram(int socket, const char* own_name);

}  // namespace protium::launcher
