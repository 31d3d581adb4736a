// Everything that reads files: a part of the page that is loaded when a file is opened.
export { inspection } from "../../../datasets/files/inspection.js";
export { fileData } from "./file-data.js";
export { storeOf } from "./open-files.js";
