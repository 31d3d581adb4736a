/**
 * A mistake that the user can fix. Its message is one line that names the offending value and the way out.
 * The command line prints only that line and exits with 1.
 */
export class UserError extends Error {
  override name = "UserError";
}

/** An option or argument that makes no sense: `alpha = -1`, 80 samples for 10 clients of 16. */
export class OptionError extends UserError {
  override name = "OptionError";
}

/** Unusable data: a NaN, constant responses, lengths that disagree. */
export class DataError extends UserError {
  override name = "DataError";
}

/** A file that is not what it should be: truncated, of another format, without the named dataset. */
export class FormatError extends UserError {
  override name = "FormatError";
}

/** A file that can be read in several ways, of which the user chooses one. */
export class UndecidedError extends FormatError {
  override name = "UndecidedError";
  constructor(
    message: string,
    /** What can be chosen, in words, and the options that choose it. */
    readonly choices: readonly { readonly words: string; readonly options: readonly string[] }[] = [],
  ) {
    super(message);
  }
}

/** A file that cannot be read or written: missing, no permission, disk full, or it exists already. */
export class FileError extends UserError {
  override name = "FileError";
}

/** A GPU, or the libraries that drive it, that is missing or refuses: no driver, out of memory. */
export class DeviceError extends UserError {
  override name = "DeviceError";
}
