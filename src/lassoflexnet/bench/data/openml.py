"""Which data set of OpenML is which: numbers, sizes and tasks.

Read by downloads. Numbers of rows are here to notice a wrong or changed data set.
"""

from dataclasses import dataclass

from lassoflexnet.bench.rows import Task


@dataclass(frozen=True)
class Remote:
    """A data set of OpenML.

    Attributes
    ----------
    name : str
        Its name here and there.
    rows : int
        Number of rows there.
    task : {"regression", "binary", "multiclass"}
        What is predicted: the default target there.
    data_id : int or None
        Its number; None asks by name and ``version``.
    version : int
        Version, where it is asked by name.
    code : str
        Short name in the feature-selection suite.
    drop : tuple of str
        Columns that no method may see.
    complete : bool
        Leave out rows with missing cells, as the feature-selection benchmark does.
    """

    name: str
    rows: int
    task: Task
    data_id: int | None = None
    version: int = 1
    code: str = ""
    drop: tuple[str, ...] = ()
    complete: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Name, and short name if it has one."""
        return (self.name, self.code) if self.code else (self.name,)

    def query(self) -> dict[str, int | str]:
        """Arguments that ask OpenML for it."""
        if self.data_id is None:
            return {"name": self.name, "version": self.version}
        return {"data_id": self.data_id}


REMOTES = (
    Remote("Australian", 690, "binary", 40981),
    Remote("Bioresponse", 3751, "binary", 4134),
    Remote("GesturePhaseSegmentationProcessed", 9873, "multiclass", 4538, code="GE"),
    Remote("MiniBooNE", 130_064, "binary", 41150),
    Remote("SpeedDating", 8378, "binary", 40536),
    Remote("ada_agnostic", 4562, "binary", 1043),
    Remote("airlines", 539_383, "binary", 1169),
    Remote("albert", 425_240, "binary", 41147),
    Remote("artificial-characters", 10_218, "multiclass", 1459),
    Remote("audiology", 226, "multiclass", 7),
    Remote("balance-scale", 625, "multiclass", 11),
    Remote("cnae-9", 1080, "multiclass", 1468),
    Remote("colic", 368, "binary", 25),
    Remote("credit-approval", 690, "binary", 29),
    Remote("credit-g", 1000, "binary", 31),
    Remote("electricity", 45_312, "binary", 151),
    Remote("elevators", 16_599, "binary", 846),
    Remote("guillermo", 20_000, "binary", 41159),
    Remote("heart-h", 294, "binary", 51),
    Remote("higgs", 98_050, "binary", 23512, code="HI", complete=True),
    Remote("jasmine", 2984, "binary", 41143),
    Remote("jungle_chess_2pcs_raw_endgame_complete", 44_819, "multiclass", 41027),
    Remote("kc1", 2109, "binary", 1067),
    Remote("lymph", 148, "multiclass", 10),
    Remote("mfeat-fourier", 2000, "multiclass", 14),
    Remote("mfeat-zernike", 2000, "multiclass", 22),
    Remote("monks-problems-2", 601, "binary", 334),
    Remote("nomao", 34_465, "binary", 1486),
    Remote("one-hundred-plants-texture", 1599, "multiclass", 1493),
    Remote("phoneme", 5404, "binary", 1489),
    Remote("poker-hand", 1_025_009, "multiclass", 1567),
    Remote("profb", 672, "binary", version=1),
    Remote("qsar-biodeg", 1055, "binary", 1494),
    Remote("socmob", 1156, "binary", version=2),
    Remote("splice", 3190, "multiclass", 46),
    Remote("vehicle", 846, "multiclass", 54),
    Remote("eye_movements", 10_936, "multiclass", 1044, code="EY", drop=("lineNo",)),
    Remote("house_16H", 22_784, "regression", 574, code="HO"),
    Remote("jannis", 83_733, "multiclass", 41168, code="JA"),
    Remote("helena", 65_196, "multiclass", 41169, code="HE"),
    Remote("aloi", 108_000, "multiclass", version=1, code="AL"),
)
