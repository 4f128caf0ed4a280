"""Files that a model keeps about a person, as Anthropic's memory tool writes them."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models import SubjectOwned
from snapshots.models.agent_state.thread import make_sorted_text_field


class MemoryFile(SubjectOwned):
    """One file by its whole path, ``/memories/...``. A folder is there as long as a file is below it. ``version``
    counts the writes."""

    path = make_sorted_text_field(verbose_name=_("path"))
    text = models.TextField(_("text"), blank=True)
    version = models.PositiveIntegerField(_("version"), default=1)
    created_at = models.DateTimeField(_("created at"), default=timezone.now)
    updated_at = models.DateTimeField(_("updated at"), default=timezone.now)

    class Meta(SubjectOwned.Meta):
        db_table = "memory_file"
        ordering = ("path",)
        verbose_name = _("memory file")
        verbose_name_plural = _("memory files")
        constraints = (models.UniqueConstraint(fields=("tenant", "subject", "path"), name="one_file_per_path"),)

    def __str__(self) -> str:
        return str(self.pk)
