// SPDX-License-Identifier: Apache-2.0
// The main of every test program. Tests that start workers start this program again, so it looks
// for a worker's role before anything else.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
