import { useRef } from "preact/hooks";
import { openOwnFiles } from "../../state.js";

const ENDINGS = ".h5,.hdf5,.he5,.nc,.nc4,.cdf,.mat,.npy,.npz,.pt,.pth";

/** Where files are dropped, or chosen. */
export function OpenFile({ isSmall = false }: { readonly isSmall?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class={isSmall ? "open-file small-place" : "open-file"}>
      {!isSmall && <h2>Look at data of your own</h2>}
      <p>
        <button type="button" class={isSmall ? "plain" : "primary"} onClick={() => input.current!.click()}>
          Choose a file
        </button>{" "}
        or drop it anywhere.
      </p>
      <p class="faint small">
        {!isSmall && "HDF5, netCDF, MATLAB, PyTorch, NPZ or NPY. "}
        It is read in this page and sent nowhere.
        {!isSmall && " Several files are one dataset, or inputs beside responses."}
      </p>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        multiple
        accept={ENDINGS}
        tabIndex={-1}
        aria-label="Files of data"
        onChange={({ currentTarget }) => {
          openOwnFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = ""; // the same file may be chosen again
        }}
      />
    </div>
  );
}
