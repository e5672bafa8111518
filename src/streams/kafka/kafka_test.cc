// SPDX-License-Identifier: Apache-2.0
#include "kafka/open.h"

#include <gtest/gtest.h>
