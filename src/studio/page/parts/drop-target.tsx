import { useEffect, useState } from "preact/hooks";
import { openOwnFiles } from "../state.js";
import "./drop-target.css";

/** Takes files that are dropped anywhere in the page; without it a browser would leave the page for them. */
export function DropTarget() {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = "copy";
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      openOwnFiles([...event.dataTransfer!.files]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div class="drop-target" aria-hidden="true">
      <p>
        Drop the file here.
        <br />
        It is read in this page and sent nowhere.
      </p>
    </div>
  );
}
