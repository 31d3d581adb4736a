import { render } from "preact";
import { App } from "./app.js";
import { followSettings } from "./state.js";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/layout.css";
import "./styles/parts.css";

followSettings();
render(<App />, document.getElementById("studio")!);
