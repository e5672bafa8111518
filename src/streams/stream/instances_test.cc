// SPDX-License-Identifier: Apache-2.0
#include "stream/instances.h"

#include <gtest/gtest.h>

#include "os/temporary_folder.h"

namespace protium {

TEST(Instances, DividePartsWithoutARemainder) {
  for (int64_t parts = 0; parts < 20; ++parts) {
    for (int64_t count = 1; count < 7; ++count) {
      int64_t sum = 0;
      for (int64_t place = 0; place < count; ++place) {
        const int64_t own = PartsOf(parts, {.place = place, .count = count});
        EXPECT_GE(own, parts / count);
        EXPECT_LE(own, parts / count + 1);
        sum += own;
      }
      EXPECT_EQ(sum, parts);
    }
  }
}

TEST(Instances, SeeEachOtherUntilTheyEnd) {
  const TemporaryFolder folder = *TemporaryFolder::Make();
  const Instances first = *Instances::Join(folder.path());
  EXPECT_EQ(first.Look().count, 1);
  auto second = Instances::Join(folder.path());
  {
    const Instances third = *Instances::Join(folder.path());
    EXPECT_EQ(first.Look().place, 0);
    EXPECT_EQ(third.Look().place, 2);
    EXPECT_EQ(first.Look().count, 3);
    second = Status::Cancelled("ended");
    EXPECT_EQ(third.Look().place, 1);
  }
  EXPECT_EQ(first.Look().count, 1);
  // The place of one that has ended is taken again.
  const Instances next = *Instances::Join(folder.path());
  EXPECT_EQ(next.Look().place, 1);
}

}  // namespace protium
