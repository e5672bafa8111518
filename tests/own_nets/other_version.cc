// SPDX-License-Identifier: Apache-2.0
// An extension that was built for another version.
extern "C" const char* protium_extension_built_for() { return "protium 7.5 interface 99"; }
extern "C" void protium_extension(void*) {}
