import { message, serialise, text } from "../../files/protobuf/write-protobuf.js";

/** Name and tag of the plugin (tensorboard/plugins/custom_scalar/metadata.py). */
export const CUSTOM_SCALARS = "custom_scalars";
export const LAYOUT_TAG = "custom_scalars__config__";

/** Charts by category, each with the tags that it draws, as regular expressions. */
type Categories = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const CATEGORIES: Categories = {
  "Test error": {
    "test error": ["test_error"],
    "excess over the near-IID reference (pp)": ["excess_error"],
    "training loss": ["train_loss"],
  },
  Drift: {
    "D_loc, dispersion of local updates": ["d_loc"],
    "D_theta, distance from the reference": ["d_theta"],
    "mean size of client updates": ["client_update_mean"],
    "mean cosine with the common update": ["client_cosine_mean"],
  },
  Clients: {
    "mean and worst client error": ["client_error_mean", "client_error_worst"],
    "spread of client errors": ["client_error_spread"],
    "error of single clients": ["client_test_error/\\d+"],
    "error on single bins": ["bin_test_error/\\d+"],
  },
};

/** The layout of the custom scalars dashboard (layout.proto). */
export function layoutData(shown = CATEGORIES): Uint8Array {
  const categories = Object.entries(shown).map(([title, charts]) =>
    message(
      2,
      text(1, title),
      ...Object.entries(charts).map(([name, tags]) =>
        message(2, text(1, name), message(2, ...tags.map((tag) => text(1, `^${tag}$`)))),
      ),
    ),
  );
  return serialise(...categories);
}
