import type { QuestionedAnswer } from "../../analysis/answer.js";
import { distanceAnswer } from "../../analysis/distance-answer.js";
import { errorAnswer } from "../../analysis/error-answer.js";
import { geometryAnswer } from "../../analysis/geometry-answer.js";
import { finalRecords } from "../../analysis/observations.js";
import type { Subject } from "../../analysis/subject.js";
import { paperRecords } from "../paper-groups.js";
import { mainTasks } from "../settings.js";
import { PAPER_PEARSON } from "../values.js";
import { robustnessAnswer } from "./robustness-answer.js";
import { viscosityWords } from "./viscosity-regimes.js";

/** The records' answers to the paper's research questions, in the paper's order. */
export function paperAnswers(subject: Subject): QuestionedAnswer[] {
  return [
    {
      id: "RQ1",
      question: "Does decreasing α increase realised solution distance and gradient heterogeneity?",
      ...geometryAnswer(subject),
    },
    {
      id: "RQ2",
      question:
        "How does solution distance compare with input-space W_1 as a predictor of gradient and parameter divergence on the same split?",
      ...besidePaper(subject),
    },
    {
      id: "RQ3",
      question:
        "Under which regimes does stronger solution-space heterogeneity increase parameter and error drift relative to near-IID FedAvg?",
      ...withRegimes(subject),
    },
    {
      id: "RQ4",
      question:
        "Are the conclusions stable across client counts, optimisers, PDE parameters, random seeds, public datasets and model families?",
      ...robustnessAnswer(subject),
    },
  ];
}

function besidePaper(subject: Subject) {
  const answer = distanceAnswer(subject);
  const isStated = subject.cases.some(({ task, isPublished }) => isPublished && task in PAPER_PEARSON);
  const finds =
    " The paper finds so for parameter divergence in all three controlled tasks and for excess error in none.";
  return { ...answer, short: answer.short + (isStated && answer.sentences.length > 0 ? finds : "") };
}

function withRegimes(subject: Subject) {
  const papers = paperRecords(subject.records);
  const regimes = viscosityWords(finalRecords(papers));
  const answer = errorAnswer(subject, regimes ? [regimes.short] : []);
  return {
    ...answer,
    sentences: [...answer.sentences, ...(regimes ? [regimes.sentence] : [])],
    missing:
      regimes || !mainTasks(papers).includes("burgers")
        ? []
        : ["How viscosity changes it: there are no Burgers runs at two viscosities."],
  };
}
