// SPDX-License-Identifier: Apache-2.0
// A driver's library with three devices, for tests: shows that the real one is opened and called.
extern "C" {

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 3;
  return 0;
}

int nvmlShutdown() { return 0; }
}
