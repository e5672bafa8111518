// SPDX-License-Identifier: Apache-2.0
// Style sheets are imported for what they do.
declare module "*.css";
